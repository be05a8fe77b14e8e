'use client';
import { type ReactNode, useEffect, useState } from 'react';
import { type Shades, shadesOf } from '#contract/brand-shades.ts';
import type { ClinicLookView } from '#contract/clinic.ts';
import { type ClinicLook, ClinicLookContext, type ThemeShades } from '../clinic-look.tsx';
import { usePageNonce } from '../page-nonce.tsx';
import { askLink } from './ask-link.ts';
import { FollowNewLink } from './follow-new-link.tsx';
import { seeLinkToken } from './link-token.ts';

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

/** Dresses what is in it as the clinic whose link was opened; as Carelane until that is known, and where it never is. */
export function ClinicLookProvider({ children }: { children: ReactNode }) {
  const [look, setLook] = useState<ClinicLook | null>(null);
  // Seen while the page is drawn for the first time: pages wipe the token out of the address right after.
  const [token] = useState(() => (typeof window === 'undefined' ? null : seeLinkToken()));
  useEffect(() => {
    if (!token) return;
    // What the link opens says itself what is wrong; without a look the page is as good.
    askLink<ClinicLookView>('clinic.open', token).then(
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

/** A style sheet of two rules over the page's own: the theme is chosen by an attribute, so it changes by itself. */
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
