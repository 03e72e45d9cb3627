import Crypto
import FoundationEssentials
import Glibc
import SQL
import SQLite

/// The maximum performance of the machine, measured with the modules of the services but without a mesh.
/// `Tests/Bench/run` prints it beside the results of the mesh. One line `name value` for each figure.
let arguments = Array(CommandLine.arguments.dropFirst())
let processors = ProcessInfo.processInfo.activeProcessorCount
let time = Duration.seconds(3)

func show(_ name: String, _ value: Double) {
    print("\(name) \(value)")
}

switch (arguments.first, arguments.dropFirst().first) {
case ("argon2id", nil):
    let (password, salt) = (Array("correct horse battery".utf8), Random.bytes(16))
    let rate = try await Rate.perSecond(threads: processors, for: time) {
        _ = try Argon2.hash(password: password, salt: salt, .standard)
    }
    show("per-second", rate)
case ("rsa2048", nil):
    let key = try PrivateKey.generateRSA(bits: 2048)
    let message = Random.bytes(800)  // About the size of the signed part of an ID token.
    let rate = try await Rate.perSecond(threads: processors, for: time) { _ = try key.sign(message, .rs256) }
    show("per-second", rate)
case ("commits", let file?):
    let database = try SQLiteDatabase(.file(file))
    try await database.write {
        try $0.execute("CREATE TABLE counters (id INTEGER PRIMARY KEY, count INTEGER NOT NULL)")
    }
    for callers in [1, 64] {
        let rate = try await Rate.perSecond(callers: callers, for: time) { caller in
            try await database.write {
                try $0.execute(
                    "INSERT INTO counters VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET count = count + 1",
                    .integer(Int64(caller)))
            }
        }
        show("callers-\(callers)", rate)
    }
    await database.close()
case ("worker", let broker?):
    try await Echo.serve(on: broker)
case ("round-trips", let broker?):
    try await RoundTrips.measure(over: broker, for: time)
case ("text-messages", let broker?):
    // Concurrent messages and their total; a single one is sent every 50 ms.
    let numbers = arguments.dropFirst(2).compactMap { Int($0) }
    try await TextMessages.send(over: broker, atATime: numbers[0], count: numbers[1])
default:
    print(
        "usage: bench-limits argon2id | rsa2048 | commits FILE | worker BROKER | round-trips BROKER"
            + " | text-messages BROKER AT-A-TIME COUNT")
    exit(64)
}
