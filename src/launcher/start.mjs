// `npm start`: installs what is missing, then starts everything. Until then nothing but Node itself can be imported, and
// an old Node must get as far as the sentence that refuses it.
import './require-node.mjs';

const { launch } = await import('./launch.mjs');
await launch(process.argv.slice(2));
