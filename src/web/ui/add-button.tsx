import { Plus } from 'lucide-react';
import { Button } from './button.tsx';

/** The one main action of a page of things: makes another. */
export function AddButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Button variant="primary" onClick={onClick}>
      <Plus aria-hidden />
      {children}
    </Button>
  );
}
