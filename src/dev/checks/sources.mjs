import { generateClient, generateClientTypes } from '../../launcher/build.mjs';
import { runTool } from '../../launcher/run-command.mjs';

/**
 * Checks format, lint and types. @param {{ unused?: boolean }} [options] `unused` also searches for unused files,
 * exports and packages
 */
export async function checkSources(tally, { unused = false } = {}) {
  await tally.prepare(generateClient);
  await tally.prepare(generateClientTypes);
  const knip = () => runTool('knip/bin/knip.js', ['--no-progress', '--no-config-hints']);
  await Promise.all([
    tally.check('format and lint', () => runTool('@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.'])),
    tally.check('types', () => runTool('typescript/bin/tsc', ['--noEmit', '-p', '.'])),
    ...(unused ? [tally.check('nothing unused', knip)] : []),
  ]);
}
