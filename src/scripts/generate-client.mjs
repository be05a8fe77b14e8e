// Runs before a command that is started from its sources: in a release that was not started yet, the database client is
// missing. Progress goes to standard error, because the output of commands is redirected to files.
import './start/require-node.mjs';

const [{ generateClient }, { createProgress }] = await Promise.all([
  import('./start/build.mjs'),
  import('./start/progress.mjs'),
]);
await generateClient(createProgress((line) => process.stderr.write(`${line}\n`)).step);
