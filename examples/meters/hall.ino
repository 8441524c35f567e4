// A wattmeter out of an Arduino (5 V, 10 bits) and a Hall sensor ACS712-20A in the supply's 12 V wire, as a line meter for
// trauma: microseconds, volts, amperes, a hundred times a second. Each line is a mean over its whole interval.
//
//   trauma run my.lua --power line=/dev/ttyACM0@columns=us:v:a
//
// A0: the sensor's output. A1: the 12 V rail through a divider of 20 and 10 kiloohms. Both grounds joined.

const float reference_v = 5.0;       // measure it: everything scales with it
const float volts_per_ampere = 0.1;  // ACS712-20A; 0.185 for the 5 A one, 0.066 for the 30 A one
const float zero_v = 2.5;            // the output without a current: measure it
const float divider = 3.0;           // (20 + 10) / 10
const unsigned long interval_us = 10000;

unsigned long next_us;

void setup()
{
  Serial.begin(115200);
  next_us = micros();
}

void loop()
{
  unsigned long current = 0, voltage = 0, count = 0;
  next_us += interval_us;
  while ((long)(micros() - next_us) < 0) {
    current += analogRead(A0);
    voltage += analogRead(A1);
    count++;
  }
  if (count == 0) { // late: no reading this time
    next_us = micros();
    return;
  }
  float step_v = reference_v / 1024 / count;
  // The middle of the interval.
  Serial.print(next_us - interval_us / 2);
  Serial.print(' ');
  Serial.print(voltage * step_v * divider, 3);
  Serial.print(' ');
  Serial.println((current * step_v - zero_v) / volts_per_ampere, 4);
}
