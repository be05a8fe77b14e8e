// `npm run bench`: how fast the service is, beside a peer and the limit of this machine.
import './start/require-node.mjs';

const { install } = await import('./start/install.mjs');
const { generateClient } = await import('./start/build.mjs');
const { createProgress } = await import('./start/progress.mjs');
const { showTool } = await import('./run-command.mjs');

const { step } = createProgress();
await install(step, { tools: true });
await generateClient(step);
process.exit(await showTool('tsx/dist/cli.mjs', ['src/testing/bench/main.ts', ...process.argv.slice(2)]));
