// `npm run bench`: the service's speed compared with a peer and the limit of this machine.
import '../launcher/require-node.mjs';

const { install } = await import('../launcher/install.mjs');
const { generateClient } = await import('../launcher/build.mjs');
const { createProgress } = await import('../launcher/progress.mjs');
const { showTool } = await import('../launcher/run-command.mjs');

const { step } = createProgress();
await install(step, { tools: true });
await generateClient(step);
process.exit(await showTool('tsx/dist/cli.mjs', ['src/dev/bench/main.ts', ...process.argv.slice(2)]));
