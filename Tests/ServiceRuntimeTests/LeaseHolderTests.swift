import Testing

@testable import ServiceRuntime

struct LeaseHolderTests {
    private static let text = LeaseHolder.current(ProcessStart(name: "notifier.1")).text

    /// The text with another value in one of its fields: start, boot, namespace, host, process id, ticks.
    private static func changed(_ field: Int, _ value: String) -> String {
        var fields = text.split(separator: " ").map(String.init)
        fields[field] = value
        return fields.joined(separator: " ")
    }

    /// A unit with `ProcSubset=pid` has no file.
    @Test func bootIsThatOfTheFileOrOfTheUnit() {
        let unit = Environment(["BOOT_ID": "0f"])
        #expect(LeaseHolder.bootID("1e-2d\n", unit) == "1e-2d")
        #expect(LeaseHolder.bootID(nil, unit) == "0f")
        #expect(LeaseHolder.bootID(nil, Environment([:])) == nil)
    }

    @Test func runningProcessIsNotDead() {
        #expect(Self.text.split(separator: " ").count == 6)
        #expect(!LeaseHolder.hasEnded(Self.text))
        // The id only distinguishes starts; the kernel reports whether the process lives.
        #expect(!LeaseHolder.hasEnded(Self.changed(0, "notifier.1.0011223344556677")))
    }

    @Test func exitedProcessIsDead() {
        // Higher than the maximum process id of Linux (2^22).
        #expect(LeaseHolder.hasEnded(Self.changed(4, "4194305")))
        // A later process has the same id.
        #expect(LeaseHolder.hasEnded(Self.changed(5, "1")))
    }

    /// Another boot, namespace or host: the process id has no meaning here.
    @Test(arguments: [1, 2, 3])
    func processOfAnotherMachineIsUnknown(field: Int) {
        let other = Self.changed(field, "other").split(separator: " ").map(String.init)
        #expect(!LeaseHolder.hasEnded((other.prefix(4) + ["4194305", "1"]).joined(separator: " ")))
    }

    @Test(arguments: ["", " ", "notifier.1", "notifier.1 4194305 1", "a b c d e f", "a b c d -1 1"])
    func malformedTextIsUnknown(text: String) {
        #expect(!LeaseHolder.hasEnded(text))
    }
}
