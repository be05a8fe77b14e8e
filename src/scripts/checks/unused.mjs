import { runTool } from '../run-command.mjs';

/** Files, exports and packages that nothing uses. */
export const checkUnused = (tally) =>
  tally.check('nothing unused', () => runTool('knip/bin/knip.js', ['--no-progress', '--no-config-hints']));
