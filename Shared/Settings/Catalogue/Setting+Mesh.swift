import Contracts

/// Settings that all processes share.
extension Setting {
    package static let project = Setting(
        "LATCHKEY_PROJECT", .text, readBy: .all, requiredBy: [.latchkey], dev: .value("demo-latchkey"),
        example: "my-project", isSuggested: true,
        "The default project: 1 to 128 letters, digits, dashes, dots, colons and underscores",
        "Identity creates it at the first start.")

    package static let log = Setting(
        "LATCHKEY_LOG", .text, readBy: .all, default: .value("info"), example: "info", isSuggested: true,
        "Level of the log: debug, info, warn or error")

    package static let logFormat = Setting(
        "LATCHKEY_LOG_FORMAT", .text, readBy: .all, default: .value("text"), example: "json", isSuggested: true,
        "Format of the log: text, or json for one object on each line")

    private static let traced = Set<SettingsProcess>.services.subtracting([.broker])

    package static let otlpURL = Setting(
        "LATCHKEY_OTLP_URL", .url, readBy: traced, example: "http://127.0.0.1:4318",
        "Receiver of traces in OTLP over HTTP, as JSON",
        "`/v1/traces` is appended. A receiver that is slow or unavailable delays no request.")

    package static let otlpSamplePercent = Setting(
        "LATCHKEY_OTLP_SAMPLE_PERCENT", .integer(0...100), readBy: traced, default: .value("100"), example: "10",
        "How many of the traces that begin here are recorded, in percent",
        "A trusted proxy that sends `traceparent` decides for its requests.")

    package static let brokers = Setting(
        "LATCHKEY_BROKERS", .list, readBy: Set<SettingsProcess>.all.subtracting([.broker]),
        requiredBy: Set<SettingsProcess>.services.subtracting([.broker]), example: "ipc:///run/latchkey/broker.1.sock",
        "Bus endpoints of all brokers, separated by commas",
        "With it `latchkey up` starts no broker, and its gateway contains none. The directory of the sockets has mode 0700 and belongs to the user of "
            + "the mesh; with keys it has mode 0750 if a group connects, and each endpoint the name of its broker: broker@ipc:///path."
    )

    package static let busKeys = Setting(
        "LATCHKEY_BUS_KEYS", .path, readBy: .all, example: "/etc/latchkey/bus",
        "Directory with the bus key of each process here, such as identity.key, and with peers.toml, the table of all peers",
        "Without it only processes of one user on one machine form a mesh, and each of them may send everything.")

    package static let data = Setting(
        "LATCHKEY_DATA", .path, readBy: .all,
        requiredBy: Set([.latchkey] + ServiceName.allCases.filter(\.ownsData).map(SettingsProcess.service)),
        dev: .value(".latchkey"), example: "/var/lib/latchkey",
        "The data directory: SQLite files, the master key, marker files",
        "Mode 0700. The unit files in `deploy` set it.")

    package static let instance = Setting(
        "LATCHKEY_INSTANCE", .text, readBy: .services,
        default: .described("the name of the executable and the process id"), example: "identity.1",
        "Name of the process in logs and metrics", "`latchkey up` and `latchkey@.service` set it.")

    package static let dev = Setting(
        "LATCHKEY_DEV", .boolean, readBy: .all, audience: .development, default: .value("0"), example: "1",
        "1: dev mode, on loopback only", "Every request is an administrator's, and messages go to /dev/inbox.")
}

/// Settings of `latchkey up` only.
extension Setting {
    package static let scale = Setting(
        "LATCHKEY_SCALE", .list, readBy: [.latchkey], example: "identity=2,notifier=4",
        "How many processes of a kind run: NAME=N, from 1 to 64, separated by commas",
        "Each kind has one by default, apart from brokers: each gateway contains one unless brokers are named here. Several "
            + "gateways listen on the same addresses, and each counts the requests of a client by itself.")

    package static let only = Setting(
        "LATCHKEY_ONLY", .list, readBy: [.latchkey], default: .described("all"), example: "gateway,identity",
        "The kinds of processes that run, separated by commas",
        "Without a gateway a broker runs too, unless LATCHKEY_BROKERS is set.")

    package static let oneProcess = Setting(
        "LATCHKEY_ONE_PROCESS", .boolean, readBy: [.latchkey], default: .value("0"), example: "1",
        "1: all services run in the process of `latchkey up`",
        "The mesh needs less memory, and a fault in one service ends all of them. Not with LATCHKEY_SCALE, LATCHKEY_BROKERS "
            + "or LATCHKEY_BUS_KEYS.")
}

/// Settings of `latchkey up` in dev mode.
extension Setting {
    package static let seed = Setting(
        "LATCHKEY_SEED", .path, readBy: [.latchkey], audience: .development, example: "users.jsonl",
        "A file of users that `latchkey up` imports before the mesh is ready",
        "It has the form of `latchkey users export`.")

    package static let exportOnExit = Setting(
        "LATCHKEY_EXPORT_ON_EXIT", .path, readBy: [.latchkey], audience: .development, example: "users.jsonl",
        "A file into which `latchkey up` writes the users when it is stopped",
        "JSON Lines have password hashes with their pepper. The file is replaced.")
}

/// Settings that `latchkey up` passes to the processes that it starts.
extension Setting {
    package static let startID = Setting(
        "LATCHKEY_START_ID", .text, readBy: .services, audience: .launcher, default: .described("random"),
        "The id of this start of the process: 16 hexadecimal digits")

    package static let sharedAddress = Setting(
        "LATCHKEY_SHARED_ADDRESS", .boolean, readBy: [.gateway], audience: .launcher, default: .value("0"),
        example: "1",
        "1: the process listens where other gateways of the mesh listen")

    package static let lifeline = Setting(
        "LATCHKEY_LIFELINE", .text, readBy: .all, audience: .launcher, example: "stdin",
        "Set: the process stops when its standard input is closed")
}

extension SettingsCatalogue {
    static let mesh: [Setting] = [
        .project, .log, .logFormat, .otlpURL, .otlpSamplePercent, .brokers, .busKeys, .data, .instance, .dev,
    ]
    static let launcher: [Setting] = [.scale, .only, .oneProcess, .seed, .exportOnExit]
    static let processStart: [Setting] = [.startID, .lifeline, .sharedAddress]
}
