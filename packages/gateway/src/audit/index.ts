/** Audit receipts: requests of clients and their outcomes, in a file that shows each later change. */
export { AuditFileError } from './audit-file.ts'
export { type AuditCounts, AuditLog, type AuditLogOptions } from './audit-log.ts'
export { AuditedServable, type LocatingServable } from './audited-servable.ts'
export { digestOf } from './receipt.ts'
export { type Verdict, type VerifyOptions, verifyAuditFile } from './verify.ts'
