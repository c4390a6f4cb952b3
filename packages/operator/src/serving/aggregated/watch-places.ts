// How many watches there are at once. Each reads a list again and again for as long as it lasts.
import { CallerPlaces } from '../http/caller-places.ts';

export class WatchPlaces extends CallerPlaces {
  constructor() {
    super({ most: 100, mostOfOne: 10, code: 'too-many-watches', message: 'there are too many watches' });
  }
}
