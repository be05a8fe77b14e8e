'use client';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { loadEntries } from '../search/find-entries.ts';

/** Anchors of the former single-page docs that have been renamed. */
const RENAMED_ANCHORS: Record<string, string> = {
  addresses: '/docs/conventions#addresses',
  token: '/docs/conventions#getting-a-token',
  impersonation: '/docs/conventions#acting-for-a-patient',
  'patients-app': '/docs/patients-app',
  invitations: '/docs/patients-app#invitations-and-your-own-pages',
  'plans-and-codes': '/docs/plans-and-time#making-a-plan-or-a-promotion-code',
  'time-and-trouble': '/docs/plans-and-time#advancing-time-and-simulating-failures',
  conventions: '/docs/conventions#requests-and-responses',
  lists: '/docs/conventions#lists-and-pages',
  filters: '/docs/conventions#filters',
  idempotency: '/docs/conventions#retrying-safely',
  'rate-limits': '/docs/conventions#rate-limits',
  browsers: '/docs/conventions#calls-from-a-browser',
  errors: '/docs/conventions#errors',
};

/** The current URL of a former anchor, or null. */
async function currentUrlOf(anchor: string): Promise<string | null> {
  if (RENAMED_ANCHORS[anchor]) return RENAMED_ANCHORS[anchor];
  const slug = anchor.replace(/^error-/, '');
  const entries = (await loadEntries()).filter(({ group }) => group !== 'Sections');
  const entry = entries.find(({ href }) => href === `/docs/api/${slug}` || href.endsWith(`#${slug}`));
  return entry?.href ?? null;
}

/** Redirects former anchors to their current page. */
export function LegacyAnchors() {
  const router = useRouter();
  useEffect(() => {
    const anchor = location.hash.slice(1);
    if (!anchor || document.getElementById(anchor)) return;
    currentUrlOf(anchor).then(
      (url) => url && router.replace(url),
      () => {},
    );
  }, [router]);
  return null;
}
