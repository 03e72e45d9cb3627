internal import Bus
internal import Contracts
internal import FoundationEssentials
internal import Glibc

/// Reads the input as JSON the way the edge and the bus do. What our scanner accepts Foundation must
/// decode, and its value must survive being written.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = start.map { Data(bytes: $0, count: count) } ?? Data()
    _ = try? BusCall(body: input).params(of: Identity.UpdateAccount.self)
    do {
        try JSONLimits.standard.check(input)
    } catch {
        return 0
    }
    guard let value = try? WireJSON.decode(JSONValue.self, from: input) else {
        preconditionFailure("Foundation refuses what the scanner accepts")
    }
    // A large number with a fraction may come back as an integer, once.
    let settled = writtenAndRead(value)
    precondition(writtenAndRead(settled) == settled, "a value changed on its way")
    return 0
}

private func writtenAndRead(_ value: JSONValue) -> JSONValue {
    guard let bytes = try? WireJSON.encode(value), let read = try? WireJSON.decode(JSONValue.self, from: bytes) else {
        preconditionFailure("a value cannot be written and read again")
    }
    return read
}

/// libFuzzer's own loop, which is part of the sanitizer's library (FuzzerDriver.cpp). It has no header; three plain C
/// values are passed the same way by Swift's convention.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(runDriver(&count, &arguments, testOneInput))
