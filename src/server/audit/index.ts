export { findNames, presentActor } from './actor-names.ts';
export { formatAuditHead, listAuditHeads, parseAuditHead, storeAuditHeads } from './audit-heads.ts';
export { checkAudit, checkAudits } from './check-audit.ts';
export { exportEntries } from './export-entries.ts';
export { auditFilter } from './find-entries.ts';
export { streamEntries } from './list-entries.ts';
export { type FailedTenants, sealAudit } from './seal-audit.ts';
export { type AuditFault, type AuditReport, type StoredHead, verifyAudit } from './verify-audit.ts';
