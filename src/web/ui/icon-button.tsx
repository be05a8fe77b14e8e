import type { LucideIcon } from 'lucide-react';
import { Button, type ButtonProps } from './button.tsx';
import { cn } from './cn.ts';

type IconButtonProps = Omit<ButtonProps, 'children' | 'asChild'> & {
  icon: LucideIcon;
  /** The accessible name and the tooltip. */
  label: string;
};

export function IconButton({ icon: Icon, label, variant = 'ghost', className, ...rest }: IconButtonProps) {
  return (
    <Button
      aria-label={label}
      title={label}
      variant={variant}
      className={cn('aspect-square px-0!', className)}
      {...rest}
    >
      <Icon aria-hidden />
    </Button>
  );
}
