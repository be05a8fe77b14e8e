import dynamic from 'next/dynamic';
import type { ComponentType, ReactNode } from 'react';
import { canReachServer, untilReached } from './reach-server.ts';
import { toast } from './toast.ts';
import { whenIdle } from './when-idle.ts';

/**
 * A component whose script is loaded when it is first rendered. Without a connection it waits for one, and the page
 * stays as it is.
 */
export const lazyComponent = <Props>(load: () => Promise<ComponentType<Props>>, loading?: () => ReactNode) =>
  dynamic<Props>(() => loadWhenConnected(load), { ssr: false, ...(loading && { loading }) });

/** Rejects only if the script cannot be loaded although the service can be reached. */
async function loadWhenConnected<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch {
    // The connection may be back already.
    if (await canReachServer()) return load();
  }
  toast.error('This needs a connection', { description: 'It opens when the connection is back.' });
  await untilReached();
  return loadWhenConnected(load);
}

const RETRY_MS = 5_000;

/**
 * A component that each page needs, though not at once: it is loaded when the page is idle; its load is repeated, and never
 * fails the page.
 */
export const lazyPart = <Props>(load: () => Promise<ComponentType<Props>>) =>
  dynamic<Props>(() => loadForSure(load), { ssr: false });

async function loadForSure<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  await new Promise<void>((resolve) => void whenIdle(resolve));
  for (;;) {
    try {
      return await load();
    } catch {
      await untilReached();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
