// By which name the ledger knows what came from an audit log: the collector in its provenance.
export const AUDIT_COLLECTOR = 'audit-log';
