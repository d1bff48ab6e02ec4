/** Commands of the gateway in texts that it prints. */

const COMMAND =
  /(?:^|[\s`:$])((?:npx (?:-y )?\S+|node (?:'[^']+'|\S+)|\S*parley\S*)) (?:gateway|bridge|inspect|call|doctor|audit)(?= |\n|$)/gm

/** The words before the name of each command, such as `npx parley`. */
export function printedPrograms(text: string): string[] {
  return [...text.matchAll(COMMAND)].map(([, program = '']) => program)
}
