/** All steps, oldest first. */
import { type ProtocolVersion, versions } from '../../protocol/index.ts'
import type { Step } from '../change.ts'
import { step as to20250326 } from './2025-03-26/step.ts'
import { step as to20250618 } from './2025-06-18/step.ts'
import { step as to20251125 } from './2025-11-25/step.ts'
import { step as to20260728 } from './2026-07-28/step.ts'

type LaterVersion = Exclude<ProtocolVersion, (typeof versions)[0]>

/** A new version is one more step here, and its name in `protocol/versions.ts`. The compiler demands both. */
const stepTo: Readonly<Record<LaterVersion, Step>> = {
  '2025-03-26': to20250326,
  '2025-06-18': to20250618,
  '2025-11-25': to20251125,
  '2026-07-28': to20260728,
}

const [, ...laterVersions] = versions

export const steps: readonly Step[] = laterVersions.map((version) => stepTo[version])
