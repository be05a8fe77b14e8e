import { bundleOptions, ENTRIES } from './build.mjs';
import { startProcess } from './start-process.mjs';

/** Like `startProcess` for the service, but rebuilds and restarts it when a source changes. Pages reload themselves. */
export async function startReloading(options) {
  const { context } = await import('esbuild');
  let current = await startProcess(options);
  let isFirst = true;
  const restart = async ({ errors }) => {
    if (isFirst) {
      isFirst = false;
      return;
    }
    for (const { text, location } of errors) console.error(`${location?.file}:${location?.line}: ${text}`);
    if (errors.length > 0) return;
    await current?.stop();
    current = await startProcess(options).catch((error) => void console.error(error.message));
  };
  const watcher = await context({
    ...bundleOptions,
    entryPoints: { main: ENTRIES.main },
    plugins: [{ name: 'restart', setup: (build) => build.onEnd(restart) }],
  });
  await watcher.watch();
  return {
    name: 'service',
    async stop() {
      await watcher.dispose();
      await current?.stop();
    },
  };
}
