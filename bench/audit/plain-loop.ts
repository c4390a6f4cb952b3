// The peer of `podtrail audit` that anybody would write first: every line through JSON.parse. Started as a process by
// bench/audit.ts; prints how many lines are an action, as jq is asked to.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const TRACKED = new Set([
  'pods',
  'nodes',
  'namespaces',
  'replicasets',
  'deployments',
  'statefulsets',
  'daemonsets',
  'jobs',
]);
const CHANGES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

let actions = 0;
for await (const line of createInterface({ input: createReadStream(process.argv[2]!), crlfDelay: Infinity })) {
  const { verb, objectRef, responseStatus } = JSON.parse(line);
  if (TRACKED.has(objectRef.resource) && (CHANGES.has(verb) || responseStatus.code >= 400)) actions++;
}
process.stdout.write(`${actions}\n`);
