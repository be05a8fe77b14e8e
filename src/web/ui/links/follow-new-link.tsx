'use client';
import { useEffect } from 'react';
import { isLinkFragment } from './link-token.ts';

/**
 * Reloads when another link is pasted into the same tab: only the fragment differs, so the browser does not load the
 * page.
 */
export function FollowNewLink() {
  useEffect(() => {
    const follow = () => isLinkFragment(window.location.hash) && window.location.reload();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  return null;
}
