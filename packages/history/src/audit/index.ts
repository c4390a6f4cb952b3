// The audit log of an API server, read: who did what to which pod. Knows nothing of the ledger's engines.

export { actionDocument } from './action-document.ts';
export { AuditCandidates, type CandidateTally } from './audit-candidates.ts';
export { AuditIntake, type IntakeTally } from './audit-intake.ts';
export { AuditReader, type AuditReaderOptions, type AuditTally, type DamagedLine } from './audit-reader.ts';
export type {
  Act,
  ActionDetails,
  Actor,
  AdmissionNotes,
  AuditedAction,
  AuditedObject,
  Outcome,
  RefusalStage,
  Refuser,
} from './audited-action.ts';
export { evidenceOf } from './evidence-of.ts';
export { inLogOrder } from './log-order.ts';
