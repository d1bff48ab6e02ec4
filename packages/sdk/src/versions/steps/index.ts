/** The registered steps. A new version is its step file and one line here; all tables are derived from this list. */
export { step as to20250326 } from './2025-03-26/step.ts'
export { step as to20250618 } from './2025-06-18/step.ts'
export { step as to20251125 } from './2025-11-25/step.ts'
export { step as to20260728 } from './2026-07-28/step.ts'
