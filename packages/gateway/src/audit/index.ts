/** Audit receipts: what clients asked and what became of it, in a file in which nothing can be changed unseen. */
export { AuditFileError } from './audit-file.ts'
export { type AuditCounts, AuditLog, type AuditLogOptions } from './audit-log.ts'
export { AuditedServable, type LocatingServable } from './audited-servable.ts'
export { digestOf } from './receipt.ts'
export { type Verdict, type VerifyOptions, verifyAuditFile } from './verify.ts'
