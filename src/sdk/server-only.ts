import { ServerOnlyError } from './errors.ts';

/** @throws ServerOnlyError in a page, even when a bundler resolves the Node build */
export function requireServer(): void {
  if (typeof window !== 'undefined' && typeof document !== 'undefined') throw new ServerOnlyError();
}
