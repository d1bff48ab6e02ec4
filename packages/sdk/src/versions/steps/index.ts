/** All steps, oldest first. A new version is one more file and one more line here. */
import type { Step } from '../change.ts'
import { step as to20250326 } from './2025-03-26.ts'
import { step as to20250618 } from './2025-06-18.ts'
import { step as to20251125 } from './2025-11-25.ts'
import { step as to20260728 } from './2026-07-28.ts'

export const steps: readonly Step[] = [to20250326, to20250618, to20251125, to20260728]
