'use client';
import type { Appearance } from '@stripe/stripe-js';
import { useTheme } from 'next-themes';
import { useMemo } from 'react';
import { useClinicLook } from '../clinic-look.tsx';

/** The page's colours for Stripe's fields, which are in an iframe that our style sheets do not reach. */
export function useAppearance(): Appearance {
  const { resolvedTheme } = useTheme();
  const shades = useClinicLook()?.shades?.[resolvedTheme === 'dark' ? 'dark' : 'light'];
  return useMemo(() => {
    const style = getComputedStyle(document.documentElement);
    const token = (name: string) => style.getPropertyValue(name).trim();
    return {
      theme: resolvedTheme === 'dark' ? 'night' : 'stripe',
      variables: {
        colorPrimary: shades?.accent ?? token('--accent'),
        colorBackground: token('--surface'),
        colorText: token('--ink'),
        colorTextSecondary: token('--muted'),
        colorTextPlaceholder: token('--muted'),
        colorDanger: token('--danger-ink'),
        fontFamily: getComputedStyle(document.body).fontFamily,
        borderRadius: '6px',
        fontSizeBase: '16px',
      },
      rules: { '.Input': { border: `1px solid ${token('--field')}` } },
    };
  }, [resolvedTheme, shades]);
}
