import { main } from './main.ts';

const stopping = new AbortController();
let signalCount = 0;
/** The first signal ends the command cleanly; the second one exits immediately. */
const onSignal = () => {
  signalCount += 1;
  if (signalCount > 1) process.exit(130);
  stopping.abort();
};
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// `carelane events | head`: a closed pipe is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const { env, stdin, stdout, stderr } = process;
process.exitCode = await main(process.argv.slice(2), { env, stdin, stdout, stderr, signal: stopping.signal });
// The prompt for the secret would keep the process running.
stdin.unref?.();
