'use client';
import { useEffect, useState } from 'react';

/** Prints once what is to be printed is shown: a day goes on paper as a list, which needs no colours and no width. */
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
