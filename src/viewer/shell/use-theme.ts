/** The theme of the system, for what cannot use variables of the style. */
import { useEffect, useState } from 'preact/hooks';

export function useTheme(): 'dark' | 'light' {
  const query = '(prefers-color-scheme: dark)';
  const [isDark, setDark] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = (): void => setDark(list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, []);
  return isDark ? 'dark' : 'light';
}
