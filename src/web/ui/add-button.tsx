import { Plus } from 'lucide-react';
import { Button } from './button.tsx';

/** The main action of a list page: creates an item. */
export function AddButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Button variant="primary" onClick={onClick}>
      <Plus aria-hidden />
      {children}
    </Button>
  );
}
