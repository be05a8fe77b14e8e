// `npm run attack`: the attacks need packages for tests, which `npm start` does not install.
import './start/require-node.mjs';

const { install } = await import('./start/install.mjs');
const { createProgress } = await import('./start/progress.mjs');
const { showTool } = await import('./run-command.mjs');

await install(createProgress().step, { tools: true });
process.exit(await showTool('tsx/dist/cli.mjs', ['src/scripts/attack.ts', ...process.argv.slice(2)]));
