export { digestOf } from './digest.ts'
export { entryFault, SKILL_LIMITS, type SkillEntry, type SkillFile } from './entry.ts'
export { type Frontmatter, frontmatterFault, readSkill, type SkillText, sameJson, writeSkill } from './frontmatter.ts'
export {
  directoryOf,
  directoryUri,
  fileUri,
  MANIFEST,
  pathFault,
  pathWithin,
  prefixFault,
  resolvePath,
} from './skill-uri.ts'
