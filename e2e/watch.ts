import type { BrowserContext, Page, Response } from '@playwright/test';
import { readCard } from './card.ts';
import { awaitHydration } from './hydration.ts';
import { faultsOfLabels } from './labels.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** The browser gives up its own prefetches when a page is left. */
const GIVEN_UP = 'net::ERR_ABORTED';
/** What the tool itself says of our worker, which it keeps out. */
const KEPT_OUT = 'Service Worker registration blocked by Playwright';

/** Served by the copy under test; what a journey answers itself bears no date. */
const isOurs = (response: Response) =>
  response.url().startsWith(`${new URL(readCard().portal_url).origin}/`) && Boolean(response.headers().date);

export type Watch = ReturnType<typeof createWatch>;

/**
 * Notes what a visitor's developer tools would show in red: errors and warnings of the console (violations of the
 * content security policy are among them), exceptions, failed requests, answers of 500 and above, and any request
 * that leaves this machine; and each answer of ours whose headers are not what they should be.
 */
export function createWatch() {
  const troubles: string[] = [];
  const allowed: RegExp[] = [];
  const borne: RegExp[] = [];
  const followPage = (page: Page) => {
    // A page may be closed at once; then there is nothing to wait for.
    awaitHydration(page).catch(() => {});
    page.on('console', (message) => {
      if (message.text() === KEPT_OUT) return;
      if (message.type() === 'error' || message.type() === 'warning')
        troubles.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => troubles.push(`exception: ${error.message}`));
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText;
      if (reason !== GIVEN_UP) troubles.push(`request: ${request.url()} ${reason}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 500) troubles.push(`answer: ${response.status()} ${response.url()}`);
      if (isOurs(response)) troubles.push(...faultsOfLabels(response).map((fault) => `label: ${fault}`));
    });
    page.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (protocol.startsWith('http') && !LOOPBACK.has(hostname)) troubles.push(`left this machine: ${request.url()}`);
    });
  };
  return {
    follow: (context: BrowserContext) => void context.on('page', followPage),
    /** Announces a trouble that belongs to the story, a refused sign-in say; it must then occur. */
    allow: (pattern: RegExp) => void allowed.push(pattern),
    /** A trouble that is none, whether it occurs or not: what crosses on its way between two pages, say. */
    bear: (pattern: RegExp) => void borne.push(pattern),
    /** What went wrong without being announced, and what was announced and did not occur. */
    findings: () => [
      ...troubles.filter((trouble) => ![...allowed, ...borne].some((pattern) => pattern.test(trouble))),
      ...allowed
        .filter((pattern) => !troubles.some((trouble) => pattern.test(trouble)))
        .map((pattern) => `did not occur: ${pattern}`),
    ],
  };
}
