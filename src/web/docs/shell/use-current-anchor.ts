import { useEffect, useState } from 'react';

/** A thin band below the header: the section that crosses it is the current one. */
const BAND = '-15% 0px -84% 0px';

/** The anchor of the section in view, or null before the first. */
export function useCurrentAnchor(anchors: string[]): string | null {
  const [current, setCurrent] = useState<string | null>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        const inside = entries.find((entry) => entry.isIntersecting);
        if (inside) setCurrent(inside.target.id);
      },
      { rootMargin: BAND },
    );
    for (const anchor of anchors) {
      const section = document.getElementById(anchor);
      if (section) observer.observe(section);
    }
    return () => observer.disconnect();
  }, [anchors]);
  return current;
}
