// Runs before a command that is started from its sources: a release that was never started lacks the database client.
// Progress goes to standard error, because the output of commands is redirected to files.
import './require-node.mjs';

const [{ generateClient }, { createProgress }] = await Promise.all([import('./build.mjs'), import('./progress.mjs')]);
await generateClient(createProgress((line) => process.stderr.write(`${line}\n`)).step);
