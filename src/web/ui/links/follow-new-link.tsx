'use client';
import { useEffect } from 'react';
import { isLinkFragment } from './link-token.ts';

/**
 * Opens a link that is put in place of the one before in the same tab: for a browser only the fragment is another then,
 * and it leaves the page as it is.
 */
export function FollowNewLink() {
  useEffect(() => {
    const follow = () => isLinkFragment(window.location.hash) && window.location.reload();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  return null;
}
