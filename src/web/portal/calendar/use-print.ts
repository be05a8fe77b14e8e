'use client';
import { useEffect, useState } from 'react';

/** Prints after the printable view has rendered. A day is printed as a list, which needs neither color nor width. */
export function usePrint(isShown: boolean, show: () => void): () => void {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (!isWanted || !isShown) return;
    setWanted(false);
    window.print();
  }, [isWanted, isShown]);
  return () => {
    show();
    setWanted(true);
  };
}
