// What an API server was asked, from its audit log: the policy it logs by, and a reader of the file it writes.
import { readFile } from 'node:fs/promises';

export interface AuditEvent {
  readonly auditID: string;
  readonly stage: 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
    readonly apiVersion?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly message?: string; readonly reason?: string };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** Who did what to which object, of everything but health checks and metrics. Bodies would be larger than the data. */
export const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - level: None
    nonResourceURLs: ["/healthz*", "/livez*", "/readyz*", "/metrics"]
  - level: Metadata
`;

/** The complete events of the file so far; a line that is being written is left for the next call. */
export async function readAuditLog(file: string): Promise<AuditEvent[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  return complete
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
