// Whether an operator takes audit events from API servers, and whom it lets in: flags of `operator`.
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { portNumber } from './port-number.ts';

export interface AuditWebhookFlags {
  readonly causes: boolean;
  readonly bind: string;
  readonly auditWebhookPort?: number;
  readonly auditWebhookCert?: string;
  readonly auditWebhookKey?: string;
  readonly auditWebhookClientCa?: string;
  readonly auditWebhookClientName?: string;
}

export function withAuditWebhook(command: Command): Command {
  return command
    .option(
      '--audit-webhook-port <port>',
      'take audit events of API servers there, at /audit (mutual TLS); default: not',
      portNumber('--audit-webhook-port'),
    )
    .option('--audit-webhook-cert <file>', 'certificate to serve with, PEM; read again when it is renewed')
    .option('--audit-webhook-key <file>', 'its key, PEM')
    .option('--audit-webhook-client-ca <file>', 'the authority of which API servers must show a certificate, PEM')
    .option('--audit-webhook-client-name <cn>', 'the common name that it must have; default: any of that authority');
}

export const AUDIT_WEBHOOK_HELP = `

With --audit-webhook-port it takes audit events from API servers (--audit-webhook-config-file of kube-apiserver), so that
causes name who deleted, evicted, drained and scaled within seconds. Who shows no certificate of --audit-webhook-client-ca
is not let in. docs/audit.md has the flags of the API server, and how to make the certificates.
`;

/** Undefined: not asked for. */
export function auditWebhookOf(flags: AuditWebhookFlags) {
  const { auditWebhookPort: port, auditWebhookCert: certificate, auditWebhookKey: key } = flags;
  const { auditWebhookClientCa: clientCa, auditWebhookClientName: clientName, causes, bind: host } = flags;
  const others = { certificate, key, clientCa, clientName };
  if (port === undefined) {
    if (Object.values(others).every((one) => one === undefined)) return undefined;
    throw new UsageError('the audit webhook has no port', 'give --audit-webhook-port, for example 9444.');
  }
  if (!causes)
    throw new UsageError('the audit webhook is for causes, and --no-causes records none', 'leave one of them out.');
  if (certificate === undefined || key === undefined || clientCa === undefined)
    throw new UsageError(
      'the audit webhook needs a certificate, its key, and the authority of its clients',
      'give --audit-webhook-cert, --audit-webhook-key and --audit-webhook-client-ca; docs/audit.md shows how to make them.',
    );
  return { host, port, files: { certificate, key, clientCa }, clientName };
}
