'use client';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { loadEntries } from '../search/load-entries.ts';

/** Parts of the one page that the docs once were, which are called otherwise now. */
const MOVED: Record<string, string> = {
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

/** Where an anchor of that page is today, or null. */
async function placeOfAnchor(anchor: string): Promise<string | null> {
  if (MOVED[anchor]) return MOVED[anchor];
  const wanted = anchor.replace(/^error-/, '');
  const entries = (await loadEntries()).filter(({ group }) => group !== 'Sections');
  const found = entries.find(({ href }) => href === `/docs/api/${wanted}` || href.endsWith(`#${wanted}`));
  return found?.href ?? null;
}

/** A link into that page leads to where its part is now. */
export function OldAnchors() {
  const router = useRouter();
  useEffect(() => {
    const anchor = location.hash.slice(1);
    if (!anchor || document.getElementById(anchor)) return;
    placeOfAnchor(anchor).then(
      (place) => place && router.replace(place),
      () => {},
    );
  }, [router]);
  return null;
}
