// `npm start`: installs missing packages, then starts everything. Before that only Node's own modules can be imported,
// and an old Node version must be able to run this file up to the error message of `require-node.mjs`.
import './require-node.mjs';

const { launch } = await import('./launch.mjs');
await launch(process.argv.slice(2));
