'use client';
// biome-ignore lint/style/noRestrictedImports: the wrapper that all others use
import NextLink from 'next/link';
import { useRouter } from 'next/navigation';
import type { ComponentProps } from 'react';

type LinkProps = Omit<
  ComponentProps<typeof NextLink>,
  'href' | 'prefetch' | 'onMouseEnter' | 'onFocus' | 'onTouchStart'
> & { href: string };

/** Prefetches its page when someone is about to follow it. Next's own link does so for every link in view. */
export function Link({ href, ...rest }: LinkProps) {
  const router = useRouter();
  const prefetch = () => router.prefetch(href);
  return (
    <NextLink
      {...rest}
      href={href}
      prefetch={false}
      onMouseEnter={prefetch}
      onFocus={prefetch}
      onTouchStart={prefetch}
    />
  );
}
