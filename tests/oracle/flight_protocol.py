"""The numbers of the flight protocol, written out by hand. Part of flight_oracle.py."""

HORIZON = {"S1": None, "M1": None, "M3": 3}

# alias, name, lowest, highest, largest change per second, angle?
FIELDS = [
    ("lat", "Latitude (WGS84 deg)", -90, 90, 0.002, False),
    ("lon", "Longitude (WGS84 deg)", -180, 180, 0.002, False),
    ("gps_alt", "GPS Altitude (WGS84 ft)", 0, 10000, 67, False),
    ("track", "GPS Ground Track (deg true)", 0, 360, 30, True),
    ("heading", "Magnetic Heading (deg)", 0, 360, 30, True),
    ("ve", "GPS Velocity E (m/s)", -130, 130, 10, False),
    ("vn", "GPS Velocity N (m/s)", -130, 130, 10, False),
    ("vu", "GPS Velocity U (m/s)", -25, 25, 5, False),
    ("gs", "GPS Ground Speed (kt)", 0, 250, 10, False),
    ("roll", "Roll (deg)", -180, 180, 30, False),
    ("pitch", "Pitch (deg)", -90, 90, 15, False),
    ("turn", "Turn Rate (deg/sec)", -30, 30, 10, False),
    ("slip", "Slip/Skid", -5, 5, 2, False),
    ("ng", "Normal Acceleration (G)", -3, 6, 1, False),
    ("lg", "Lateral Acceleration (G)", -2, 2, 0.5, False),
    ("vs", "Vertical Speed (fpm)", -4000, 4000, 1500, False),
    ("ias", "Indicated Airspeed (kt)", 0, 250, 10, False),
    ("baro", "Baro Altitude (ft)", -1000, 10000, 67, False),
    ("press", "Pressure Altitude (ft)", -1000, 15000, 67, False),
]
NAME = {f[0]: f[1] for f in FIELDS}

FAMILIES = [
    "protocol", "numeric_validity", "range_sanity", "jump_dynamics",
    "cross_field_consistency", "physics_constraint", "safety_constraint",
]

WEIGHT = {"critical": 3.0, "warning": 1.0, "info": 0.5}
RANK = {"critical": 0, "warning": 1, "info": 2}
MAE_CURVE = [(0, 100), (5, 90), (20, 70), (50, 50), (100, 30), (200, 15), (300, 5)]
RMSE_CURVE = [(0, 100), (10, 90), (50, 70), (100, 50), (200, 30), (300, 15), (400, 5)]
CAP = 0.0
