'use client';
import { type ReactNode, useEffect, useState } from 'react';
import { type Shades, shadesOf } from '#contract/brand-shades.ts';
import type { ClinicLookView } from '#contract/clinic.ts';
import { type ClinicLook, ClinicLookContext, type ThemeShades } from '../clinic-look.tsx';
import { usePageNonce } from '../page-nonce.tsx';
import { callLinkApi, isLinkFragment, peekLinkToken } from './link.ts';

const lookOf = (clinic: ClinicLookView): ClinicLook => ({
  name: clinic.name,
  logo: clinic.logo,
  shades:
    clinic.colour === null ? null : { light: shadesOf(clinic.colour, 'light'), dark: shadesOf(clinic.colour, 'dark') },
  phone: clinic.support_phone,
  email: clinic.support_email,
  termsUrl: clinic.terms_url,
  privacyUrl: clinic.privacy_url,
});

/**
 * Applies the branding of the clinic whose link was opened; Carelane's until it has loaded or when it cannot be loaded.
 */
export function ClinicLookProvider({ children }: { children: ReactNode }) {
  const [look, setLook] = useState<ClinicLook | null>(null);
  // Read in the first render: pages remove the token from the URL right after.
  const [token] = useState(() => (typeof window === 'undefined' ? null : peekLinkToken()));
  useEffect(() => {
    if (!token) return;
    // The page itself reports an invalid link; without branding it works as well.
    callLinkApi<ClinicLookView>('clinic.open', token).then(
      (clinic) => setLook(lookOf(clinic)),
      () => undefined,
    );
  }, [token]);
  return (
    <ClinicLookContext value={look}>
      {look?.shades && <ShadesSheet shades={look.shades} />}
      {children}
      <FollowNewLink />
    </ClinicLookContext>
  );
}

/**
 * A style sheet with one rule per theme that overrides the page's colours; the `data-theme` attribute selects the rule.
 */
function ShadesSheet({ shades }: { shades: ThemeShades }) {
  const nonce = usePageNonce();
  const rule = (selector: string, values: Shades | Record<string, string>) =>
    `${selector}{${Object.entries(values)
      .map(([name, colour]) => `--${name}:${colour}`)
      .join(';')}}`;
  return (
    <style {...(nonce && { nonce })}>
      {`${rule(':root:root', shades.light)} ${rule(":root[data-theme='dark']", shades.dark)}`}
    </style>
  );
}

/**
 * Reloads when another link is pasted into the same tab: only the fragment differs, so the browser does not load the
 * page.
 */
function FollowNewLink() {
  useEffect(() => {
    const follow = () => isLinkFragment(window.location.hash) && window.location.reload();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  return null;
}
