'use client';
import { type TouchEvent, useRef } from 'react';

const MIN_PX = 60;

/** Direction of a horizontal swipe; null for scrolling or a small movement. */
export function swipeDirection(dx: number, dy: number): 'left' | 'right' | null {
  if (Math.abs(dx) < MIN_PX || Math.abs(dx) < 2 * Math.abs(dy)) return null;
  return dx < 0 ? 'left' : 'right';
}

/** Touch handlers that recognize swipes: a swipe to the left steps forward, as when turning a page. */
export function useSwipe(onStep: (direction: 1 | -1) => void) {
  const start = useRef<{ x: number; y: number } | null>(null);
  return {
    onTouchStart: ({ touches }: TouchEvent) => {
      const touch = touches[0];
      start.current = touches.length === 1 && touch ? { x: touch.clientX, y: touch.clientY } : null;
    },
    onTouchEnd: ({ changedTouches }: TouchEvent) => {
      const touch = changedTouches[0];
      const from = start.current;
      start.current = null;
      const direction = from && touch ? swipeDirection(touch.clientX - from.x, touch.clientY - from.y) : null;
      if (direction) onStep(direction === 'left' ? 1 : -1);
    },
    onTouchCancel: () => {
      start.current = null;
    },
  };
}
