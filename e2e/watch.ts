import type { BrowserContext, Page, Response } from '@playwright/test';
import { readCard } from './card.ts';
import { awaitHydration } from './hydration.ts';
import { headerProblems } from './page-problems.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** The browser aborts its own prefetches when a page is left. */
const ABORTED = 'net::ERR_ABORTED';
/** Playwright's message about our service worker, which it blocks. */
const SERVICE_WORKER_BLOCKED = 'Service Worker registration blocked by Playwright';
/** A page requested the next bill of a subscription that ended at that moment; the updated list arrives next. */
const PREVIEW_OF_ENDED = /409 \(Conflict\) \(\S*\/subscriptions\.preview\?/;

/** Served by the copy under test; a response that a test provides has no date. */
const isFromService = (response: Response) =>
  response.url().startsWith(`${new URL(readCard().portal_url).origin}/`) && Boolean(response.headers().date);

export type Watch = ReturnType<typeof createWatch>;

/**
 * Records what developer tools would show in red: errors and warnings of the console (including violations of the
 * content security policy), exceptions, failed requests, responses of 500 and above, and any request that leaves this
 * machine; and each of our responses with wrong headers.
 */
export function createWatch() {
  const problems: string[] = [];
  const allowed: RegExp[] = [];
  const tolerated: RegExp[] = [PREVIEW_OF_ENDED];
  const followPage = (page: Page) => {
    // A page may be closed at once; then there is nothing to wait for.
    awaitHydration(page).catch(() => {});
    page.on('console', (message) => {
      if (message.text() === SERVICE_WORKER_BLOCKED) return;
      const text = `${message.text()} (${message.location().url})`;
      if (/^(error|warning)$/.test(message.type())) problems.push(`console: ${text}`);
    });
    page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText;
      if (reason !== ABORTED) problems.push(`request: ${request.url()} ${reason}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 500) problems.push(`response: ${response.status()} ${response.url()}`);
      if (isFromService(response)) problems.push(...headerProblems(response).map((fault) => `header: ${fault}`));
    });
    page.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (protocol.startsWith('http') && !LOOPBACK.has(hostname)) problems.push(`left this machine: ${request.url()}`);
    });
  };
  return {
    follow: (context: BrowserContext) => void context.on('page', followPage),
    /** Announces an error that belongs to the test, such as a rejected sign-in; it must then occur. */
    allow: (pattern: RegExp) => void allowed.push(pattern),
    /** Tolerates an error that may occur or not, such as messages that cross between two pages. */
    tolerate: (pattern: RegExp) => void tolerated.push(pattern),
    /** Errors that were not announced, and announced ones that did not occur. */
    findings: () => [
      ...problems.filter((problem) => ![...allowed, ...tolerated].some((pattern) => pattern.test(problem))),
      ...allowed
        .filter((pattern) => !problems.some((problem) => pattern.test(problem)))
        .map((pattern) => `did not occur: ${pattern}`),
    ],
  };
}
