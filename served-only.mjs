import { createTally } from './src/dev/checks/tally.mjs';
import { buildPages } from './src/launcher/build.mjs';
import { runServed } from './src/dev/checks/served.mjs';
import { findPrograms, TEST_PROGRAMS } from './src/dev/checks/programs.mjs';
const tally = createTally();
await tally.prepare((step) => findPrograms(step, TEST_PROGRAMS));
await tally.phase('build', () => tally.prepare(buildPages));
await runServed(tally);
tally.finish();
