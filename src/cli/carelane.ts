import { main } from './main.ts';

const stopping = new AbortController();
let pressed = 0;
/** The first ends cleanly; whoever presses again does not want to wait. */
const onSignal = () => {
  pressed += 1;
  if (pressed > 1) process.exit(130);
  stopping.abort();
};
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// `carelane events | head`: who read it has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const { env, stdin, stdout, stderr } = process;
process.exitCode = await main(process.argv.slice(2), { env, stdin, stdout, stderr, signal: stopping.signal });
// A terminal that was asked for the secret keeps nobody here.
stdin.unref?.();
