// In which zone times are shown.
import { chooseZone, zone, zoneNames } from '../times/zone.ts';

export function ZoneChoice() {
  const names = zoneNames();
  return (
    <label>
      <span class="visually-hidden">Time zone</span>
      <select value={zone.value} onChange={({ currentTarget }) => chooseZone(currentTarget.value)}>
        <option value="local">Local time</option>
        <option value="UTC">UTC</option>
        {names
          .filter((name) => name !== 'UTC')
          .map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
      </select>
    </label>
  );
}
