// Where the sandbox answers otherwise than the real server, knowingly. Mirrored in packages/sandbox/DIFFERENCES.md; a
// difference that is gone is a failure, so that this list never claims more than there is.
export interface AcceptedDifference {
  /** The name of the case. */
  readonly case: string;
  readonly reason: string;
}

export const ACCEPTED_DIFFERENCES: readonly AcceptedDifference[] = [
  {
    case: 'managedFields tell who wrote what',
    reason: 'Field ownership needs the schema of every kind; no client that the sandbox serves reads it.',
  },
  {
    case: 'server-side apply creates, merges and meets conflicts',
    reason: 'It stands on managedFields. Such a patch is refused with 415 rather than done half.',
  },
  {
    case: 'custom objects are pruned, defaulted and validated by their schema',
    reason:
      'Definitions are accepted as they are and their schemas are not read: objects are stored as they were sent.',
  },
  {
    case: 'the fields of a definition have types',
    reason:
      'The sandbox has the fields of all built-in kinds but this one, whose schemas hold schemas; it accepts definitions as they are.',
  },
  {
    case: 'YAML is read and written',
    reason: 'kubectl and all clients send JSON or protobuf; the sandbox has no YAML parser and says 415 and 406.',
  },
  {
    case: 'HTTP/2 is offered',
    reason: 'Every client falls back to HTTP/1.1, and faults are let into single streams more plainly there.',
  },
  {
    case: 'every answer has an Audit-Id and is not to be cached',
    reason: 'There is no audit log that such an id could point into.',
  },
  {
    case: 'an administrator may speak as somebody else',
    reason: 'Tests name a user by its token; impersonation headers are not read.',
  },
  {
    case: 'secrets, endpoints, volumes and policies are there',
    reason:
      'Only kinds that the simulated cluster or podtrail use are built in; any other can be added by a definition.',
  },
];
