// `npm run attack`: the attacks need test packages, which `npm start` does not install.
import '../launcher/require-node.mjs';

const { install } = await import('../launcher/install.mjs');
const { createProgress } = await import('../launcher/progress.mjs');
const { showTool } = await import('../launcher/run-command.mjs');

await install(createProgress().step, { tools: true });
process.exit(await showTool('tsx/dist/cli.mjs', ['src/dev/attack.ts', ...process.argv.slice(2)]));
